// TCP and DCTCP of ns-3 on a tree of links and a list of flows: what ns3.py compares with.
//
// Arguments: transport (tcp or dctcp), host queue (same or unbounded), packets in a queue, from which on packets are
// marked (0: never), first and least timeout in microseconds, bytes that a connection puts into an unbounded queue of its host (0:
// no bound), and 1 if windows grow while it holds them back as in Linux.
// Standard input: counts of nodes, hosts (the first nodes), links and flows; both ends, bits a second and
// picoseconds of each link; source, destination, bytes and start in picoseconds of each flow.  Standard output: of each
// flow, when its last byte is acknowledged, in picoseconds, or -1; then seconds of the processor, packets sent by all
// ports, packets dropped, marked, and retransmission timeouts.

#include <ctime>
#include <iostream>
#include <map>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>
#include <queue>
#include <vector>

using namespace ns3;

static const uint16_t PORT = 9;
static uint64_t sent_packets, dropped, marked, timeouts;
static uint32_t small_queue;
static bool validates;

// A connection that leaves at most so many of its bytes in its host's port, and sends more when half of that is left there.
class Connection : public TcpSocketBase
{
public:
  uint32_t AvailableWindow() const override
  {
    return waiting_ || (small_queue && queued_ >= small_queue) ? 0 : TcpSocketBase::AvailableWindow();
  }
  uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t most, bool ack) override
  {
    const uint32_t sent = TcpSocketBase::SendDataPacket(seq, most, ack);
    queued_ += sent;
    waiting_ |= small_queue && queued_ >= small_queue;
    return sent;
  }
  void ReTxTimeout() override
  {
    if (!complete) timeouts++;
    TcpSocketBase::ReTxTimeout();
  }
  // Whether all is acknowledged that its flow has.
  bool complete = false;
  void Leaves(uint32_t bytes)
  {
    queued_ -= std::min(bytes, queued_);
    if (!waiting_ || queued_ > small_queue / 2) return;
    waiting_ = false;
    Simulator::ScheduleNow(&Connection::Continue, Ptr<Connection>(this));
  }

private:
  void Continue()
  {
    // An assertion takes what is sent between the first and the third duplicate for limited transmit.
    m_limitedTx = true;
    if (m_state == ESTABLISHED || m_state == CLOSE_WAIT || m_state == FIN_WAIT_1) SendPendingData(m_connected);
    m_limitedTx = false;
  }
  uint32_t queued_ = 0;
  bool waiting_ = false;
};

// Slow start grows in ns-3 whether the window limits what is sent or not, and DCTCP's congestion avoidance too.  In Linux a
// window that does not limit grows in slow start only, up to twice what is on its way (tcp_is_cwnd_limited).
template <class Control> class Validating : public Control
{
public:
  void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t acked) override
  {
    const uint32_t most = std::min(state->m_ssThresh.Get(), 2 * state->m_bytesInFlight.Get());
    if (!validates || state->m_isCwndLimited || state->m_cWnd < most) Control::IncreaseWindow(state, acked);
  }
};

// DCTCP whose window has at least a segment: ns-3's shrinks below, and then sends nothing until a timeout.
class Dctcp : public Validating<TcpDctcp>
{
public:
  uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t in_flight) override
  {
    return std::max(TcpDctcp::GetSsThresh(state, in_flight), state->m_segmentSize);
  }
};

struct Flow {
  uint32_t src, dst;
  uint32_t bytes;
  int64_t start, end = -1;
  Ptr<Connection> socket;
};

static std::vector<Flow> flows;
static NodeContainer nodes;
static std::vector<Ipv4Address> address;
static bool dctcp;
static std::vector<std::map<uint16_t, Ptr<Connection>>> connections;

static void acknowledged(size_t number, SequenceNumber32, SequenceNumber32 reached)
{
  Flow& flow = flows[number];
  if (flow.end >= 0 || reached.GetValue() <= flow.bytes) return;
  flow.end = Simulator::Now().GetPicoSeconds();
  flow.socket->complete = true;
}

static void fill(size_t number, Ptr<Socket> socket)
{
  uint32_t left = flows[number].bytes;
  while (left > 0) {
    const uint32_t part = std::min(left, 1u << 20);
    NS_ABORT_MSG_IF(socket->Send(Create<Packet>(part)) != static_cast<int>(part), "the send buffer is too small");
    left -= part;
  }
  socket->Close();
}

static void start(size_t number)
{
  Flow& flow = flows[number];
  Ptr<Node> node = nodes.Get(flow.src);
  Ptr<TcpL4Protocol> tcp = node->GetObject<TcpL4Protocol>();
  Ptr<Connection> socket = CreateObject<Connection>();
  socket->SetNode(node);
  socket->SetTcp(tcp);
  socket->SetRtt(CreateObject<RttMeanDeviation>());
  Ptr<TcpCongestionOps> control = CreateObject<Validating<TcpLinuxReno>>();
  if (dctcp) control = CreateObject<Dctcp>();
  socket->SetCongestionControlAlgorithm(control);
  socket->SetRecoveryAlgorithm(CreateObject<TcpClassicRecovery>());
  tcp->AddSocket(socket);
  flow.socket = socket;
  socket->TraceConnectWithoutContext("HighestRxAck", MakeCallback(&acknowledged).Bind(number));
  socket->SetConnectCallback(MakeCallback(&fill).Bind(number), MakeNullCallback<void, Ptr<Socket>>());
  socket->Bind();
  Address own;
  socket->GetSockName(own);
  connections[flow.src][InetSocketAddress::ConvertFrom(own).GetPort()] = socket;
  socket->Connect(InetSocketAddress(address[flow.dst], PORT));
}

// Receivers take what comes and keep their ends open.  That of a PacketSink closes with the sender's, and repeats its FIN,
// which acknowledges all data, after a round trip and four variations of it, however long the least timeout is.
static void receive(Ptr<Socket> socket)
{
  while (socket->Recv()) {}
}

static void accepted(Ptr<Socket> socket, const Address&) { socket->SetRecvCallback(MakeCallback(&receive)); }

// A packet has left a host's port.
static void leaves(uint32_t host, Ptr<const Packet> packet)
{
  Ptr<Packet> copy = packet->Copy();
  PppHeader ppp;
  Ipv4Header ip;
  TcpHeader tcp;
  copy->RemoveHeader(ppp);
  copy->RemoveHeader(ip);
  copy->RemoveHeader(tcp);
  if (copy->GetSize() == 0) return;
  const auto found = connections[host].find(tcp.GetSourcePort());
  if (found != connections[host].end()) found->second->Leaves(copy->GetSize());
}

static void count(Ptr<const Packet>) { sent_packets++; }
static void drop(Ptr<const QueueDiscItem>) { dropped++; }
static void mark(Ptr<const QueueDiscItem>, const char*) { marked++; }

int main(int argc, char** argv)
{
  if (argc != 8) return 2;
  const std::string transport = argv[1];
  const bool same = std::string(argv[2]) == "same";
  const uint32_t limit = std::stoul(argv[3]), threshold = std::stoul(argv[4]);
  const int64_t least = std::stoll(argv[5]);
  small_queue = std::stoul(argv[6]);
  validates = std::stoul(argv[7]) > 0;
  dctcp = transport == "dctcp";

  Time::SetResolution(Time::PS);
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1u << 30));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1u << 30));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MicroSeconds(least)));
  Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(NanoSeconds(1)));
  Config::SetDefault("ns3::RttEstimator::InitialEstimation", TimeValue(MicroSeconds(least)));
  Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MicroSeconds(least)));
  if (dctcp) Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(dctcp ? TcpDctcp::GetTypeId() : TcpLinuxReno::GetTypeId()));
  Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));

  size_t count_nodes, hosts, links, count_flows;
  std::cin >> count_nodes >> hosts >> links >> count_flows;
  nodes.Create(count_nodes);
  InternetStackHelper internet;
  Ipv4StaticRoutingHelper routing;
  internet.SetRoutingHelper(routing);
  internet.SetIpv6StackInstall(false);
  internet.Install(nodes);

  // Each port is a device with room for one packet, the one being sent apart, below a queue discipline with the rest.
  PointToPointHelper wire;
  wire.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
  const auto packets = [](uint32_t number) { return QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, number)); };
  TrafficControlHelper at_switches, at_hosts;
  if (threshold > 0) {
    at_switches.SetRootQueueDisc("ns3::RedQueueDisc", "MaxSize", packets(limit - 2), "MinTh", DoubleValue(threshold - 2.0),
                                 "MaxTh", DoubleValue(threshold - 2.0), "QW", DoubleValue(1), "Gentle", BooleanValue(false),
                                 "UseEcn", BooleanValue(true), "UseHardDrop", BooleanValue(false), "MeanPktSize",
                                 UintegerValue(1500));
  } else {
    at_switches.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", packets(limit - 2));
  }
  at_hosts.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", packets(1u << 30));

  Ipv4AddressHelper network("10.0.0.0", "255.255.255.252");
  address.resize(hosts);
  connections.resize(hosts);
  struct Port {
    size_t to;
    uint32_t interface;
  };
  std::vector<std::vector<Port>> ports(count_nodes);
  for (size_t i = 0; i < links; i++) {
    size_t ends[2];
    uint64_t rate;
    int64_t delay;
    std::cin >> ends[0] >> ends[1] >> rate >> delay;
    wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    wire.SetChannelAttribute("Delay", TimeValue(PicoSeconds(delay)));
    NetDeviceContainer devices = wire.Install(nodes.Get(ends[0]), nodes.Get(ends[1]));
    for (int side = 0; side < 2; side++) {
      const bool is_host = ends[side] < hosts;
      (is_host && !same ? at_hosts : at_switches).Install(devices.Get(side));
      devices.Get(side)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&count));
      if (is_host) devices.Get(side)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&leaves).Bind(uint32_t(ends[side])));
      Ptr<QueueDisc> queue = nodes.Get(ends[side])->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(devices.Get(side));
      queue->TraceConnectWithoutContext("Drop", MakeCallback(&drop));
      queue->TraceConnectWithoutContext("Mark", MakeCallback(&mark));
    }
    Ipv4InterfaceContainer interfaces = network.Assign(devices);
    network.NewNetwork();
    for (int side = 0; side < 2; side++) {
      ports[ends[side]].push_back({ends[1 - side], interfaces.Get(side).second});
      if (ends[side] < hosts) address[ends[side]] = interfaces.GetAddress(side);
    }
  }
  // The one path to each host.
  for (size_t host = 0; host < hosts; host++) {
    std::vector<bool> seen(count_nodes);
    std::queue<size_t> next({host});
    seen[host] = true;
    while (!next.empty()) {
      const size_t here = next.front();
      next.pop();
      for (const Port& port : ports[here]) {
        if (seen[port.to]) continue;
        seen[port.to] = true;
        next.push(port.to);
        for (const Port& back : ports[port.to])
          if (back.to == here)
            routing.GetStaticRouting(nodes.Get(port.to)->GetObject<Ipv4>())->AddHostRouteTo(address[host], back.interface);
      }
    }
  }
  std::vector<Ptr<Socket>> listening;
  for (size_t host = 0; host < hosts; host++) {
    Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(host), TcpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    socket->Listen();
    socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(), MakeCallback(&accepted));
    listening.push_back(socket);
  }

  flows.resize(count_flows);
  for (size_t i = 0; i < count_flows; i++) {
    Flow& flow = flows[i];
    std::cin >> flow.src >> flow.dst >> flow.bytes >> flow.start;
    Simulator::ScheduleWithContext(flow.src, PicoSeconds(flow.start), &start, i);
  }
  timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  Simulator::Stop(Seconds(30));
  Simulator::Run();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  for (const Flow& flow : flows) std::cout << flow.end << "\n";
  std::cout << static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec)
            << " " << sent_packets << " " << dropped << " " << marked << " " << timeouts << std::endl;
  std::_Exit(0);
}
